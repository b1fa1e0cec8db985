import { z } from 'zod'
import { recordedEvents } from '../examples/recorded.ts'
import { type EventType, publicEventTypes } from '../topics/event-types.ts'
import { cloudEvent } from '../topics/messages.ts'

const about = `Public events as CloudEvents 1.0 in structured JSON. The key of a message is the id of its entity. Messages of
one key arrive in order, each at least once and always with the same id. \`actor\` is the user who caused the event,
\`accesskey\` the key that was used (not over HTTP). Schemas only get new fields. The same events are available over HTTP as server-sent
events: GET /catalog-server/api/events.`

/** The name of a channel is the last part of its topic. */
const nameOf = (topic: string) => topic.split('.').at(-1) ?? topic

/** JSON Schema (draft 7) of the CloudEvents of one type. Pure. */
export function eventSchema(service: string, name: string, { entity, data }: EventType): object {
  const event = cloudEvent.extend({
    source: z.string().regex(new RegExp(`^/assay/[A-Za-z0-9._-]+/${service}$`)),
    type: z.literal(`io.assay.${service}.${name}`),
    subject: z.string().regex(new RegExp(`^${entity}/.+$`)),
    time: z.iso.datetime(),
    data,
  })
  const {
    $schema: _,
    id: _id,
    ...schema
  } = z.toJSONSchema(event, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  })
  return schema
}

const key = { type: 'string', description: 'The id of the entity. Messages of one key are in order.' }

/** The AsyncAPI 3 document of the public topics. It has one message per type of event. Pure. */
export function asyncApiDocument(version: string): object {
  const examples = recordedEvents()
  const channels = publicEventTypes.map(({ topic, service, types }) => ({
    ...{ topic, service, name: nameOf(topic) },
    messages: Object.entries(types).map(([name, type]) => ({ name, type, full: `io.assay.${service}.${name}` })),
  }))
  return {
    asyncapi: '3.0.0',
    info: { title: 'Assay events', version, description: about.replaceAll('\n', ' ') },
    defaultContentType: 'application/cloudevents+json',
    servers: {
      kafka: {
        host: '{bootstrapServer}',
        protocol: 'kafka',
        description: 'The Kafka cluster of the distributed form.',
        variables: { bootstrapServer: { default: 'localhost:9094', description: 'Host and port of a broker.' } },
      },
    },
    channels: Object.fromEntries(
      channels.map(({ topic, service, name, messages }) => [
        name,
        {
          address: topic,
          description: `Events that the ${service} service publishes.`,
          messages: Object.fromEntries(
            messages.map((each) => [each.name, { $ref: `#/components/messages/${each.name}` }]),
          ),
          bindings: { kafka: { topic, bindingVersion: '0.5.0' } },
        },
      ]),
    ),
    operations: Object.fromEntries(
      channels.map(({ name }) => [
        `receive-${name}`,
        { action: 'receive', channel: { $ref: `#/channels/${name}` }, summary: `Consume the events of ${name}.` },
      ]),
    ),
    components: {
      messages: Object.fromEntries(
        channels.flatMap(({ service, messages }) =>
          messages.map(({ name, type, full }) => [
            name,
            {
              ...{ name: full, title: name, summary: type.summary, contentType: 'application/cloudevents+json' },
              payload: eventSchema(service, name, type),
              bindings: { kafka: { key, bindingVersion: '0.5.0' } },
              ...(examples[full] === undefined ? {} : { examples: [{ payload: examples[full] }] }),
            },
          ]),
        ),
      ),
    },
  }
}
