import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { z } from 'zod';
import { appRouter } from '../../server/router/app-router.ts';
import { createOpenApiDocument } from '../../server/surfaces/openapi/document.ts';

export type Schema = z.core.JSONSchema.JSONSchema;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  schema: Schema;
}

/** One operation of the OpenAPI document. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  /** Its security scheme. */
  access: 'apiKey' | 'ownerSession' | 'none';
  /** What the document says against a reply; empty when nothing. */
  faultsOf(reply: Reply): string[];
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** The parts of an OpenAPI document that are read here, once its references are resolved. */
interface Documented {
  operationId: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { headers: Record<string, { required?: boolean }>; content?: Content }>;
}

type Content = Record<'application/json', { schema: Schema }>;

/** All operations of the OpenAPI document. */
export function readOperations(): Operation[] {
  const document = JSON.parse(JSON.stringify(createOpenApiDocument(appRouter, new URL('http://localhost'))));
  const { paths } = resolve(document, document) as { paths: Record<string, Record<string, Documented>> };
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, documented]) => ({
      id: documented.operationId,
      method: method.toUpperCase(),
      path,
      parameters: documented.parameters ?? [],
      body: documented.requestBody?.content['application/json'].schema,
      access: (Object.keys(documented.security[0] ?? {})[0] ?? 'none') as Operation['access'],
      faultsOf: createJudge(documented, ajv),
    })),
  );
}

function createJudge({ responses }: Documented, ajv: Ajv2020): Operation['faultsOf'] {
  const judges = Object.entries(responses).map(([status, { headers, content }]) => {
    const validate = content && ajv.compile(content['application/json'].schema);
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

function resolve(node: unknown, document: object): unknown {
  if (Array.isArray(node)) return node.map((item) => resolve(item, document));
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) return resolve(target(String(node.$ref), document), document);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value, document)]));
}

/** What a reference such as `#/components/schemas/Post` stands for. */
function target(reference: string, document: object): unknown {
  const [, ...keys] = reference.split('/');
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
}
