import { generateKeyPairSync } from 'node:crypto'
import forge from 'node-forge'

/** A certificate with its private key, both as PEM text. */
export interface Certified {
  certificate: string
  key: string
}

/** A certificate authority: servers and clients must trust `certificate`. */
export interface Authority {
  certificate: string
  /** A certificate for a server, by default for `localhost` and 127.0.0.1. */
  issueServer(names?: { dns: string; ip: string }): Certified
  /** A certificate with which a client authenticates itself. */
  issueClient(name: string): Certified
}

const dnsName = 2
const ipAddress = 7
const dayMs = 24 * 60 * 60 * 1000

function keyPair(): { publicKey: forge.pki.rsa.PublicKey; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { publicKey: forge.pki.publicKeyFromPem(publicKey), key: privateKey }
}

/** A new authority whose keys and certificates exist only in memory. */
export function makeAuthority(name = 'authority of a test'): Authority {
  const own = keyPair()
  let serial = 0

  function signed(subject: string, publicKey: forge.pki.rsa.PublicKey, extensions: object[]): string {
    const made = forge.pki.createCertificate()
    made.publicKey = publicKey
    serial += 1
    made.serialNumber = String(serial).padStart(2, '0')
    made.validity.notBefore = new Date(Date.now() - dayMs)
    made.validity.notAfter = new Date(Date.now() + dayMs)
    made.setSubject([{ name: 'commonName', value: subject }])
    made.setIssuer([{ name: 'commonName', value: name }])
    made.setExtensions(extensions)
    made.sign(forge.pki.privateKeyFromPem(own.key), forge.md.sha256.create())
    return forge.pki.certificateToPem(made)
  }

  const leaf = (subject: string, extensions: object[]): Certified => {
    const { publicKey, key } = keyPair()
    const certificate = signed(subject, publicKey, [{ name: 'basicConstraints', cA: false }, ...extensions])
    return { certificate, key }
  }

  return {
    certificate: signed(name, own.publicKey, [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ]),
    issueServer: ({ dns, ip } = { dns: 'localhost', ip: '127.0.0.1' }) =>
      leaf(dns, [
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: [
            { type: dnsName, value: dns },
            { type: ipAddress, ip },
          ],
        },
      ]),
    issueClient: (subject) => leaf(subject, [{ name: 'extKeyUsage', clientAuth: true }]),
  }
}
