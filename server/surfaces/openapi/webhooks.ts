import type { oas31 } from 'openapi3-ts';
import { createSchema } from 'zod-openapi';
import { type EventName, eventNames, events } from '../../../shared/contract/events.ts';
import { deliveryOf } from '../../../shared/contract/features/events.ts';
import { typeName } from '../../../shared/contract/names-of.ts';
import { exampleOf } from './example.ts';

/** The requests that subscribers receive, by event. */
export const deliveryRequests = (): oas31.PathsObject =>
  Object.fromEntries(eventNames.map((name) => [name, { post: deliveryRequest(name) }]));

function deliveryRequest(name: EventName): oas31.OperationObject {
  const { schema } = createSchema(deliveryOf(name));
  return {
    operationId: `receive${typeName(name)}`,
    summary: events[name].description,
    description: 'Sent to every subscription to it; see "Webhooks" above for signatures and retries.',
    tags: ['deliveries'],
    // Receivers authenticate a delivery by its signature, not by a credential.
    security: [],
    parameters: signingHeaders(name),
    requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(schema) } } },
    responses: {
      '2XX': { description: 'Acknowledged, whatever the body says' },
      '4XX': { description: 'A failure, as is every other status: the delivery is tried again' },
    },
  };
}

const signingHeaders = (name: EventName): oas31.ParameterObject[] => [
  header('X-Service-Event', 'Name of the event', { const: name }),
  header('X-Service-Delivery', 'Id of the delivery, the same in every attempt', {
    pattern: '^[a-z0-9]{15}$',
  }),
  header('X-Service-Signature', 'HMAC-SHA256 of the raw body, keyed with the secret of the subscription', {
    pattern: '^sha256=[0-9a-f]{64}$',
  }),
  header('User-Agent', 'Who sends it', { const: 'Service-Webhook/1.0' }),
  header('webhook-id', 'Id of the delivery, as Standard Webhooks names it', { pattern: '^[a-z0-9]{15}$' }),
  header('webhook-timestamp', 'When this attempt was sent, in Unix seconds', { pattern: '^\\d+$' }),
  header('webhook-signature', 'Signatures of id, timestamp and body, as Standard Webhooks has them', {
    pattern: '^v1,\\S+( v1,\\S+)*$',
  }),
];

const header = (name: string, description: string, schema: oas31.SchemaObject): oas31.ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});
