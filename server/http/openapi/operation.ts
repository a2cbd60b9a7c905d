import type { oas31 } from 'openapi3-ts';
import { z } from 'zod';
import { idempotency, type TierName, tiers } from '../../../shared/contract/limits.ts';
import { typeName } from '../../../shared/contract/names-of.ts';
import type { Meta, RestRoute } from '../../api/meta.ts';
import type { RestProcedure } from '../../api/procedures.ts';
import { headerParameter, headersOf } from './headers.ts';
import { refusalsOf } from './refusals.ts';
import { exampleOf } from './schemas.ts';

/** Completes a generated operation with its status, headers, errors, credential and examples. */
export function completeOperation(
  generated: oas31.OperationObject,
  procedure: RestProcedure,
  documentPath: string,
): oas31.OperationObject {
  const { name, meta } = procedure;
  const { parameters: _, requestBody, responses, ...operation } = generated;
  const parameters = [...completeParameters(generated, procedure, documentPath), ...headersIn(procedure)].map(
    leaveOutOfSamples,
  );
  return {
    ...operation,
    operationId: operationId(name),
    summary: summaryOf(meta.openapi),
    ...accessOf(meta),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody: withExample(requestBody) } : {}),
    responses: {
      [meta.status ?? 200]: success(procedure, responses?.[200]),
      ...(meta.mayBeThere && {
        200: {
          ...responses?.[200],
          description: 'It existed already',
          headers: headersOf(200, { replayed: procedure.isWrite }),
        },
      }),
      ...(meta.cached ? { 304: notModified(procedure) } : {}),
      ...Object.fromEntries(
        refusalsOf(procedure).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  };
}

/** Adds the version to all summaries of v2, because v1 has operations with the same summaries. */
const summaryOf = ({ path, summary }: RestRoute) =>
  path.startsWith('/api/v2/') ? `${summary} (v2)` : summary;

/** Converts `v1.posts.list` to the name in generated clients: `v1PostsList`. */
const operationId = (name: string) => name.charAt(0) + typeName(name).slice(1);

/**
 * Describes credential and rate limit of an operation. Lint rules accept scopes for OAuth only, so an API key's scope
 * is an extension.
 */
function accessOf({ access, scope, tier = 'normal', keyTier }: Meta) {
  const limit = [tier, keyTier].flatMap((name) => (name ? [limitOf(name)] : [])).join(' ');
  switch (access) {
    case 'key':
      return {
        description: `Requires an API key with the scope \`${scope}\`. ${limit}`,
        security: [{ apiKey: [] }],
        ...(scope ? { 'x-required-scope': scope } : {}),
      };
    case 'owner':
      return { description: `Requires an owner's session. ${limit}`, security: [{ ownerSession: [] }] };
    default:
      return { description: `Requires no credential. ${limit}`, security: [] };
  }
}

const limitOf = (name: TierName) => {
  const { perMinute, burst, per } = tiers[name];
  return `Rate limit \`${name}\`: ${perMinute} requests per minute with a burst of ${burst}, per ${per === 'key' ? 'API key' : 'client IP address'}.`;
};

const success = (procedure: RestProcedure, generated: oas31.ResponseObject): oas31.ResponseObject => {
  const { output, meta } = procedure;
  return {
    ...generated,
    description: output.meta()?.description ?? (meta.status === 201 ? 'Created' : 'OK'),
    headers: headersOf(meta.status ?? 200, {
      tagged: meta.cached !== undefined || meta.tagged === true,
      replayed: procedure.isWrite,
      paged: isPaged(output),
    }),
  };
};

const notModified = ({ output }: RestProcedure): oas31.ResponseObject => ({
  description: 'Not modified: the response that `If-None-Match` names is still current',
  headers: headersOf(304, { tagged: true, paged: isPaged(output) }),
});

const isPaged = (output: z.ZodType) =>
  output instanceof z.ZodObject && ('next_cursor' in output.shape || 'per_page' in output.shape);

/** Adds an example to a body. It has no slug, which must be unique, so that the example can be sent twice. */
function withExample(body: oas31.RequestBodyObject | oas31.ReferenceObject): oas31.RequestBodyObject {
  const [[type, { schema = undefined } = {}] = ['', {}]] =
    'content' in body ? Object.entries(body.content) : [];
  if (!schema || '$ref' in schema) throw new Error('the generated body has no inline schema');
  if (type !== 'application/json') return { required: true, content: { [type]: { schema } } };
  const { slug: _, ...properties } = schema.properties ?? {};
  const example = exampleOf({ ...schema, properties });
  return { required: true, content: { 'application/json': { schema, example } } };
}

function completeParameters(
  { parameters = [] }: oas31.OperationObject,
  { name, meta }: RestProcedure,
  documentPath: string,
): oas31.ParameterObject[] {
  const names = parametersOf(meta.openapi.path);
  const shown = parametersOf(documentPath);
  return parameters.map((parameter) => {
    if ('$ref' in parameter || !parameter.schema || '$ref' in parameter.schema)
      throw new Error(`${name} has a parameter that is a reference`);
    const { description = '', ...schema } = parameter.schema;
    const index = names.indexOf(parameter.name);
    return {
      ...parameter,
      name: parameter.in === 'path' ? (shown[index] ?? parameter.name) : parameter.name,
      required: parameter.required ?? false,
      description,
      schema,
    };
  });
}

function headersIn(procedure: RestProcedure): oas31.ParameterObject[] {
  const { memberToken, previewToken, cached, conditional } = procedure.meta;
  const member =
    'Session token of a member; returns content that the access tiers and purchases of the member include. An invalid token is ignored';
  const preview = 'Token of a preview link of the site; it determines the draft and the reader to show it as';
  const tag = '`ETag` of an earlier response; returns 304 without a body if it is still current';
  const condition =
    'One or several `ETag`s of the record; if its current revision matches none of them, nothing is changed and 412 is returned';
  return [
    ...(memberToken ? [headerParameter('X-Member-Token', member)] : []),
    ...(previewToken ? [headerParameter('X-Preview-Token', preview)] : []),
    ...(cached ? [headerParameter('If-None-Match', tag)] : []),
    ...(procedure.isWrite ? [idempotencyKey(procedure.name)] : []),
    ...(conditional ? [headerParameter('If-Match', condition)] : []),
  ];
}

const { hours, keyLength } = idempotency;

/**
 * Creates the parameter for the `Idempotency-Key`. Its example contains the operation's name: tools that fill in
 * examples then use a different key for each operation.
 */
const idempotencyKey = (name: string) =>
  headerParameter(
    'Idempotency-Key',
    `Unique key of this write, such as a UUID. The request is executed once; for ${hours} hours, repeated requests with the same key get the first response`,
    {
      minLength: keyLength.min,
      maxLength: keyLength.max,
      pattern: '^[\\x20-\\x7e]+$',
      examples: [`${name}-8e03978e`],
    },
  );

/**
 * Excludes the example of an optional parameter from sample requests of the API reference. Filters that exclude each
 * other would find nothing, and a second request with the same idempotency key would not run.
 */
function leaveOutOfSamples(parameter: oas31.ParameterObject): oas31.ParameterObject {
  const { schema = {}, required } = parameter;
  if (required || '$ref' in schema || !schema.examples) return parameter;
  return { ...parameter, examples: { default: { value: schema.examples[0], 'x-disabled': true } } };
}

const parameter = /{(\w+)}/g;

const parametersOf = (path: string) => [...path.matchAll(parameter)].map(([, name = '']) => name);

/**
 * Maps each route's path to its path in the document. Paths that differ only in a parameter's name become one, whose
 * parameter has both names: `/api/v1/posts/{id}` and `/api/v1/posts/{slug}` become `/api/v1/posts/{idOrSlug}`.
 */
export function documentPaths(procedures: readonly RestProcedure[]): Map<string, string> {
  const paths = [...new Set(procedures.map(({ meta }) => meta.openapi.path))];
  const same = Map.groupBy(paths, (path) => path.replace(parameter, '{}'));
  return new Map(paths.map((path) => [path, merge(same.get(path.replace(parameter, '{}')) ?? [path])]));
}

function merge(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  let position = 0;
  return first.replace(parameter, (_match, name: string) => {
    const names = [name, ...others.map((path) => parametersOf(path)[position] ?? name)];
    position += 1;
    const [shortest = name, ...more] = [...new Set(names)].toSorted();
    return `{${[shortest, ...more.map(typeName)].join('Or')}}`;
  });
}
