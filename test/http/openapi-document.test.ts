import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import type { oas31 } from 'openapi3-ts';
import { expect, test } from 'vitest';
import { proceduresOf } from '../../server/api/procedures.ts';
import { appRouter, restRouter } from '../../server/api/router/app-router.ts';
import { createOpenApiDocument } from '../../server/http/openapi/document.ts';
import { buildApp } from '../../server/start/app.ts';
import { eventNames } from '../../shared/contract/events.ts';
import { startApp } from '../support/app.ts';
import { createValidator, readDocument, type Schema } from '../support/operations.ts';

const publicUrl = new URL('https://ada.creators.test');

/** Number of event loop ticks while the document was written. */
let turns = 0;
let turn = setImmediate(function count() {
  turns += 1;
  turn = setImmediate(count);
});
const document = await createOpenApiDocument(restRouter, publicUrl);
clearImmediate(turn);

/** The beginning of the document, with references to components that it does not contain. */
const broken = {
  ...document,
  paths: Object.fromEntries(Object.entries(document.paths ?? {}).slice(0, 3)),
  webhooks: {},
  components: {},
};

/** The document with resolved references. */
const resolved = await readDocument();

/** Every content endpoint below `/api/v1`. */
const v1 = `
GET /api/v1/profile
GET /api/v1/posts
GET /api/v1/posts/{idOrSlug}
POST /api/v1/posts
PATCH /api/v1/posts/{idOrSlug}
DELETE /api/v1/posts/{idOrSlug}
GET /api/v1/projects
GET /api/v1/projects/{idOrSlug}
POST /api/v1/projects
PATCH /api/v1/projects/{idOrSlug}
DELETE /api/v1/projects/{idOrSlug}
GET /api/v1/courses
POST /api/v1/courses
PATCH /api/v1/courses/{id}
DELETE /api/v1/courses/{id}
GET /api/v1/talks
POST /api/v1/talks
PATCH /api/v1/talks/{id}
DELETE /api/v1/talks/{id}
GET /api/v1/experience
POST /api/v1/experience
PATCH /api/v1/experience/{id}
DELETE /api/v1/experience/{id}
GET /api/v1/education
POST /api/v1/education
PATCH /api/v1/education/{id}
DELETE /api/v1/education/{id}
GET /api/v1/skills
POST /api/v1/skills
PATCH /api/v1/skills/{id}
DELETE /api/v1/skills/{id}
GET /api/v1/certifications
POST /api/v1/certifications
PATCH /api/v1/certifications/{id}
DELETE /api/v1/certifications/{id}
`;

test('the document lists every content endpoint below /api/v1', () => {
  const endpoints = v1.trim().split('\n');
  expect(operations(document).filter((operation) => endpoints.includes(operation))).toHaveLength(35);
});

test('the document lists exactly the routes below /api', async () => {
  await using running = await startApp();
  const server = buildApp(running.deps);
  const served: string[] = [];
  server.addHook('onRoute', ({ method, url }) => {
    if (url.startsWith('/api') && method !== 'HEAD') served.push(`${method} ${anyNames(url)}`);
  });
  await server.ready();
  await server.close();
  expect(operations(document).map(anyNames).toSorted()).toEqual(served.toSorted());
});

test('writing the document yields to the event loop after each operation', () => {
  expect(turns).toBeGreaterThanOrEqual(operations(document).length);
});

test('the document passes the recommended rules of Redocly without a warning', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const lint = (source: object) => lintFromString({ source: JSON.stringify(source), config });
  expect(await lint(document)).toEqual([]);
  expect(await lint(broken)).not.toEqual([]);
});

test('the document passes the recommended rules of Spectral without a warning', async () => {
  const linter = new spectral.Spectral();
  // The package's own types do not accept its rule set as a definition.
  linter.setRuleset({ extends: [[rulesets.oas as unknown as RulesetDefinition, 'recommended']] });
  const lint = (source: object) => linter.run(JSON.stringify(source));
  expect(await lint(document)).toEqual([]);
  expect(await lint(broken)).not.toEqual([]);
});

test('every parameter, and every field of every body and response, has a description', () => {
  expect(undescribed(document, '')).toEqual([]);
});

test('every example is valid for its schema, with the strictest reading of RFC 3339', async () => {
  const ajv = createValidator();
  const shown = examples(resolved);
  expect(shown.length).toBeGreaterThan(500);
  expect(shown.filter(({ schema, value }) => !ajv.validate(schema, value))).toEqual([]);
});

test('no example of a webhook contains a secret, which any reader of the document could sign with', async () => {
  const shown = examples(resolved).map(({ value }) => JSON.stringify(value));
  expect(shown.filter((example) => /"events":\[/.test(example))).not.toEqual([]);
  expect(shown.filter((example) => /"secret":|whsec_/.test(example))).toEqual([]);
});

test('a nullable value is an alternative of schemas: no schema has two types', () => {
  const json = JSON.stringify(document);
  expect(json.split('{"type":"null"}').length).toBeGreaterThan(100);
  expect(json.split('"type":[').length).toBe(1);
});

test('the document describes the deliveries of the nine events', () => {
  expect(Object.keys(document.webhooks ?? {})).toEqual(eventNames);
});

test('the introduction names every MCP tool, and every procedure without a path', () => {
  const { description = '' } = document.info;
  for (const { name, meta } of proceduresOf(appRouter).values()) {
    if (meta.mcp) expect(description).toContain(`\`${meta.mcp.name}\``);
    const [call] = name.split('.').slice(-1);
    const group = name.slice(0, name.lastIndexOf('.'));
    if (!meta.openapi) expect(description).toMatch(new RegExp(`\\| \`${group}\` \\|.*\`${call}\``));
  }
});

test('summaries use `a` and `an` correctly', () => {
  const summaries = Object.values(document.paths ?? {}).flatMap((methods: oas31.PathItemObject) =>
    Object.values(methods).map(({ summary }: oas31.OperationObject) => summary),
  );
  expect(summaries).toContain('Create an experience entry');
  expect(summaries.filter((summary) => /\ba [aeiou]|\ban [^aeiouA]/.test(summary ?? ''))).toEqual([]);
});

test("the document is served with the service's address, to any origin, and is 304 if it has not changed", async () => {
  await using app = await startApp({ config: { publicUrl } });
  const headers = { 'x-forwarded-proto': 'https' };
  await using trusting = await startApp({ config: { publicUrl, trustProxy: ['127.0.0.1/32'] } });
  expect(await app.get('/openapi.json')).toMatchObject({ status: 400 });
  const first = await trusting.get('/openapi.json', { headers });
  expect(first).toEqual({ status: 200, body: JSON.parse(JSON.stringify(document)) });
  expect(document.servers).toEqual([{ url: 'https://ada.creators.test', description: 'This site' }]);
  expect(first.headers.get('access-control-allow-origin')).toBe('*');
  const etag = first.headers.get('etag') ?? '';
  const again = await trusting.get('/openapi.json', { headers: { ...headers, 'if-none-match': etag } });
  expect(again).toEqual({ status: 304, body: undefined });
});

function operations({ paths = {} }: oas31.OpenAPIObject): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** Removes parameter names: `/posts/:id` and `/posts/{idOrSlug}` are the same path. */
const anyNames = (path: string) => path.replace(/:\w+|{\w+}/g, '{}');

interface Example {
  schema: Schema;
  value: unknown;
}

/** Every example within `node`, with its schema. Parts that are used repeatedly are read once. */
function examples(node: unknown, read: Set<unknown> = new Set()): Example[] {
  if (typeof node !== 'object' || node === null || read.has(node)) return [];
  read.add(node);
  const schema = node as Schema;
  const own = Array.isArray(schema.examples) ? schema.examples.map((value) => ({ schema, value })) : [];
  const { schema: body, example } = node as { schema?: Schema; example?: unknown };
  const shown = body && example !== undefined ? [{ schema: body, value: example }] : [];
  return [...own, ...shown, ...Object.values(node).flatMap((part) => examples(part, read))];
}

/** Paths of parameters and properties that have no description. */
function undescribed(node: unknown, at: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties = {} } = node as oas31.SchemaObject;
  const { parameters = [] } = node as oas31.OperationObject;
  const parts = [...Object.entries(properties), ...parameters.map((part) => ['parameter', part] as const)];
  const own = parts.flatMap(([name, part]) => ('$ref' in part || part.description ? [] : [`${at}/${name}`]));
  return [...own, ...Object.entries(node).flatMap(([key, value]) => undescribed(value, `${at}/${key}`))];
}
