import { z } from 'zod'
import { cloudEvent } from '../topics/messages.ts'
import { publicData } from '../topics/public-data.ts'

const about = `Public events as CloudEvents 1.0 in structured JSON. The key of a message is the id of its entity. Messages of
one key arrive in order, each at least once and always with the same id. \`actor\` is the user who caused the event,
\`accesskey\` the key that was used. Schemas only get new fields. The same events are available over HTTP as server-sent
events: GET /catalog-server/api/events.`

/** The channel's name is the last part of its topic. */
const nameOf = (topic: string) => topic.split('.').at(-1) ?? topic

function payloadOf({ service, entities, data }: (typeof publicData)[keyof typeof publicData]) {
  const event = cloudEvent.extend({
    source: z.literal(`/assay/${service}`),
    type: z.string().regex(new RegExp(`^io\\.assay\\.${service}\\.[A-Za-z]+$`)),
    subject: z.string().describe(entities.map((each) => (each.startsWith('<') ? each : `${each}/<id>`)).join(', ')),
    data,
  })
  const { $schema: _, id: _id, ...schema } = z.toJSONSchema(event, { io: 'input', unrepresentable: 'any' })
  return schema
}

/** The AsyncAPI 3 document of the public topics. Pure. */
export function asyncApiDocument(version: string): object {
  const topics = Object.entries(publicData)
  return {
    asyncapi: '3.0.0',
    info: { title: 'Assay events', version, description: about.replaceAll('\n', ' ') },
    defaultContentType: 'application/cloudevents+json',
    channels: Object.fromEntries(
      topics.map(([topic, { service }]) => [
        nameOf(topic),
        {
          address: topic,
          description: `Events that the ${service} service publishes.`,
          messages: { event: { $ref: `#/components/messages/${nameOf(topic)}` } },
        },
      ]),
    ),
    operations: Object.fromEntries(
      topics.map(([topic]) => [
        `publish-${nameOf(topic)}`,
        { action: 'send', channel: { $ref: `#/channels/${nameOf(topic)}` } },
      ]),
    ),
    components: {
      messages: Object.fromEntries(
        topics.map(([topic, published]) => [
          nameOf(topic),
          {
            name: nameOf(topic),
            contentType: 'application/cloudevents+json',
            payload: payloadOf(published),
          },
        ]),
      ),
    },
  }
}
