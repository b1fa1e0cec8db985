import { AssignerProtocol, type PartitionAssigner } from 'kafkajs'
import { z } from 'zod'
import { type Assignment, assignPartitions } from './assignment.ts'

const heldPartitions = z.record(z.string(), z.array(z.int()))
const name = 'assay-sticky'
const version = 1

function decodedHeld(userData: Buffer): Assignment {
  try {
    return heldPartitions.parse(JSON.parse(userData.toString()))
  } catch {
    return {}
  }
}

/**
 * The group's partition assigner. Each member reports the partitions that `beforeJoin` returns. A join waits for
 * `beforeJoin`, so that running handlers can finish and commit before partitions are reassigned.
 */
export function createAssigner(beforeJoin: () => Promise<Assignment>): PartitionAssigner {
  return ({ cluster }) => ({
    name,
    version,
    async protocol({ topics }) {
      const userData = Buffer.from(JSON.stringify(await beforeJoin()))
      return { name, metadata: AssignerProtocol.MemberMetadata.encode({ version, topics, userData }) }
    },
    async assign({ members, topics }) {
      const known = members.map(({ memberId, memberMetadata }) => {
        const metadata = AssignerProtocol.MemberMetadata.decode(memberMetadata)
        return {
          id: memberId,
          topics: metadata?.topics ?? topics,
          held: metadata === null ? {} : decodedHeld(metadata.userData),
        }
      })
      const wanted = [...new Set(known.flatMap((member) => member.topics))]
      await cluster.addMultipleTargetTopics(wanted)
      const partitions = new Map(
        wanted.map((topic) => [topic, cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId)]),
      )
      return [...assignPartitions(known, partitions)].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version,
          assignment,
          userData: Buffer.alloc(0),
        }),
      }))
    },
  })
}
