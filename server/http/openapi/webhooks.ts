import type { oas31 } from 'openapi3-ts';
import { createSchema } from 'zod-openapi';
import { type EventName, eventNames, events } from '../../../shared/contract/events.ts';
import { deliveryOf } from '../../../shared/contract/features/events.ts';
import { typeName } from '../../../shared/contract/names-of.ts';
import { headerParameter } from './headers.ts';
import { exampleOf } from './schemas.ts';

export const deliveryRequests = (): oas31.PathsObject =>
  Object.fromEntries(eventNames.map((name) => [name, { post: deliveryRequest(name) }]));

function deliveryRequest(name: EventName): oas31.OperationObject {
  const { schema } = createSchema(deliveryOf(name));
  return {
    operationId: `receive${typeName(name)}`,
    summary: events[name].description,
    description:
      'Sent to each subscription that includes the event; see "Webhooks" above for signatures and retries.',
    tags: ['deliveries'],
    // Receivers authenticate a delivery by its signature, not by a credential.
    security: [],
    parameters: signingHeaders(name),
    requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(schema) } } },
    responses: {
      '2XX': { description: 'Acknowledges the delivery; the body is ignored' },
      '4XX': {
        description: 'Failed attempt, as with any other status that is not 2xx: the delivery is retried',
      },
    },
  };
}

const idPattern = '^[a-z0-9]{15}$';

const signingHeaders = (name: EventName): oas31.ParameterObject[] => [
  header('X-Service-Event', 'Name of the event', { const: name }),
  header('X-Service-Delivery', 'ID of the delivery, the same in every attempt', { pattern: idPattern }),
  header('X-Service-Signature', 'HMAC-SHA256 of the raw body, keyed with the secret of the subscription', {
    pattern: '^sha256=[0-9a-f]{64}$',
  }),
  header('User-Agent', 'Sender of the delivery', { const: 'Service-Webhook/1.0' }),
  header('webhook-id', 'ID of the delivery (Standard Webhooks)', { pattern: idPattern }),
  header('webhook-timestamp', 'Time of this attempt, in Unix seconds (Standard Webhooks)', {
    pattern: '^\\d+$',
  }),
  header(
    'webhook-signature',
    'Signatures of ID, timestamp and body (Standard Webhooks), separated by spaces',
    {
      pattern: '^v1,\\S+( v1,\\S+)*$',
    },
  ),
];

const header = (name: string, description: string, schema: oas31.SchemaObject) =>
  headerParameter(name, description, schema, true);
