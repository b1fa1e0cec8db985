import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Router } from 'express'
import helmet from 'helmet'
import { eventsPage, eventsStyle } from './events-page.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assay API</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The same document is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/initializer.js"></script>
</body>
</html>
`

const initializer = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: true,
  presets: [SwaggerUIBundle.presets.apis],
})
`

const files = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

/** No other origin, no inline script; images of the style sheet are `data:` URLs. */
const protection = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  // Only a proxy in front knows whether the caller's connection is encrypted.
  strictTransportSecurity: false,
})

/** The pages for `/openapi.json` and for the public events, from files of this installation only. */
export function docsRouter(): Router {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const router = Router({ caseSensitive: true })
  router.use('/docs', protection)
  // At its start, Assay prints this address, and users open it in a browser.
  router.get('/', (_request, response) => response.redirect('/docs'))
  router.get('/docs', (_request, response) => {
    response.type('html').send(page)
  })
  router.get('/docs/initializer.js', (_request, response) => {
    response.type('js').send(initializer)
  })
  let eventsText: string | undefined
  router.get('/docs/events', (_request, response) => {
    eventsText ??= eventsPage()
    response.type('html').send(eventsText)
  })
  router.get('/docs/events.css', (_request, response) => {
    response.type('css').send(eventsStyle)
  })
  for (const file of files) {
    router.get(`/docs/${file}`, (_request, response, next) => {
      response.sendFile(file, { root: folder, maxAge: '1h' }, (error?: Error) => {
        if (error && !response.headersSent) next(error)
      })
    })
  }
  return router
}
