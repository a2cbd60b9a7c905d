import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { restRouter } from '../../server/api/router/app-router.ts';
import { createOpenApiDocument } from '../../server/http/openapi/document.ts';
import type { Lists } from '../../server/http/openapi/schemas.ts';

export type Schema = z.core.JSONSchema.JSONSchema;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description: string;
  schema: Schema;
}

/** Operation of the OpenAPI document. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  /** True if it accepts a form with a file. */
  takesFile: boolean;
  /** Example of its body in the document. */
  example: unknown;
  /** Security scheme. */
  access: 'apiKey' | 'ownerSession' | 'none';
  /** Returns the names of the headers of an answer with this status. */
  headersOf(status: number): string[];
  /** Returns the differences between an answer and the document; empty if there are none. */
  faultsOf(reply: Reply): string[];
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Parts of an OpenAPI document that are read here, after its references are resolved. */
interface Documented {
  operationId: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { headers: Record<string, { required?: boolean }>; content?: Content }>;
}

type Content = Partial<Record<string, { schema: Schema; example?: unknown }>>;

/** Returns all operations of the OpenAPI document. */
export async function readOperations(lists?: Lists): Promise<Operation[]> {
  const { paths } = await readDocument(lists);
  const ajv = createValidator();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, documented]) => ({
      id: documented.operationId,
      method: method.toUpperCase(),
      path,
      parameters: documented.parameters ?? [],
      body: documented.requestBody?.content['application/json']?.schema,
      takesFile: documented.requestBody?.content['multipart/form-data'] !== undefined,
      example: documented.requestBody?.content['application/json']?.example,
      access: (Object.keys(documented.security[0] ?? {})[0] ?? 'none') as Operation['access'],
      headersOf: (status) => Object.keys(documented.responses[status]?.headers ?? {}),
      faultsOf: createJudge(documented, ajv),
    })),
  );
}

/** Returns the differences between a webhook request and the document; empty if there are none. */
export async function faultsOfDelivery({ event, headers, body }: Received): Promise<string[]> {
  const documented = (await readDocument()).webhooks[event]?.post;
  if (!documented) return [`${event} is not documented`];
  const ajv = createValidator();
  const judge = (at: string, schema: Schema | undefined, value: unknown) => {
    if (schema && ajv.validate(schema, value)) return [];
    return [`${at}: ${schema ? ajv.errorsText() : 'not documented'}`];
  };
  const parameters = documented.parameters ?? [];
  return [
    ...parameters.flatMap(({ name, schema }) => judge(name, schema, headers[name.toLowerCase()])),
    ...judge('body', documented.requestBody?.content['application/json']?.schema, JSON.parse(body)),
  ];
}

interface Received {
  event: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

type Paths = Record<string, Record<string, Documented>>;

/** Returns the document with resolved references, as callers with or without `fields` read it. */
export async function readDocument(lists?: Lists): Promise<{ paths: Paths; webhooks: Paths }> {
  const written = await createOpenApiDocument(restRouter, new URL('http://localhost'), lists);
  const document = JSON.parse(JSON.stringify(written));
  return resolve(document, document, new Map()) as { paths: Paths; webhooks: Paths };
}

/** Creates a validator as strict as the strictest client. Timestamps need a `T`, although ajv also accepts a space. */
export function createValidator(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, multipleOfPrecision: 6 });
  addFormats.default(ajv);
  return ajv.addFormat('date-time', (text) => z.iso.datetime({ offset: true }).safeParse(text).success);
}

function createJudge({ responses }: Documented, ajv: Ajv2020): Operation['faultsOf'] {
  const judges = Object.entries(responses).map(([status, { headers, content }]) => {
    const schema = content?.['application/json']?.schema;
    const validate = schema && ajv.compile(schema);
    const required = Object.keys(headers).filter((name) => headers[name]?.required);
    return [Number(status), (reply: Reply) => faultsOf(reply, required, validate)] as const;
  });
  const byStatus = new Map(judges);
  return (reply) => byStatus.get(reply.status)?.(reply) ?? [`${reply.status} is not documented`];
}

function faultsOf({ headers, text }: Reply, required: string[], validate: ValidateFunction | undefined) {
  const missing = required.filter((name) => !headers[name.toLowerCase()]).map((name) => `no header ${name}`);
  if (!validate) return text === '' ? missing : [...missing, 'a body where none is documented'];
  if (!String(headers['content-type']).startsWith('application/json')) return [...missing, 'no JSON'];
  validate(JSON.parse(text));
  return [
    ...missing,
    ...(validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`),
  ];
}

/** Replaces references by their targets. Each target is one object, so that validators compile it once. */
function resolve(node: unknown, document: object, targets: Map<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((item) => resolve(item, document, targets));
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) {
    const reference = String(node.$ref);
    if (!targets.has(reference))
      targets.set(reference, resolve(target(reference, document), document, targets));
    return targets.get(reference);
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, resolve(value, document, targets)]),
  );
}

/** Returns the target of a reference such as `#/components/schemas/Post`. */
function target(reference: string, document: object): unknown {
  const [, ...keys] = reference.split('/');
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
}
