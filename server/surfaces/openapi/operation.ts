import type { oas31 } from 'openapi3-ts';
import { z } from 'zod';
import { type TierName, tiers } from '../../../shared/contract/limits.ts';
import { typeName } from '../../../shared/contract/names-of.ts';
import type { Scope } from '../../../shared/contract/scopes.ts';
import type { Meta, RestRoute } from '../../kernel/meta.ts';
import type { RestProcedure } from '../../kernel/procedures.ts';
import { exampleOf } from './example.ts';
import { headersOf } from './headers.ts';
import { completeParameters, headersIn, leaveOutOfSamples } from './parameters.ts';
import { refusalsOf } from './refusals.ts';

/** A generated operation with its status, headers, refusals, credential and examples. */
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
      ...(meta.mayBeThere ? { 200: alreadyThere(procedure, responses?.[200]) } : {}),
      ...(meta.cached ? { 304: notModified(procedure) } : {}),
      ...Object.fromEntries(
        refusalsOf(procedure).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  };
}

/** Both versions list and get the same records. */
const summaryOf = ({ path, summary }: RestRoute) =>
  path.startsWith('/api/v2/') ? `${summary} (v2)` : summary;

/** `v1.posts.list` as generated clients call it: `v1PostsList`. */
const operationId = (name: string) => name.charAt(0) + typeName(name).slice(1);

interface Access {
  description: string;
  security: oas31.SecurityRequirementObject[];
  'x-required-scope'?: Scope;
}

/** Who may call an operation, and how often. Lint rules know scopes of OAuth only, so an API key's is an extension. */
function accessOf({ access, scope, tier = 'normal', keyTier }: Meta): Access {
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

const alreadyThere = (procedure: RestProcedure, generated: oas31.ResponseObject): oas31.ResponseObject => ({
  ...generated,
  description: 'It existed already',
  headers: headersOf(200, { replayed: procedure.isWrite }),
});

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

/** A body to send. It leaves out the slug, which only one record can have, so that it can be sent twice. */
function withExample(body: oas31.RequestBodyObject | oas31.ReferenceObject): oas31.RequestBodyObject {
  const [[type, { schema = undefined } = {}] = ['', {}]] =
    'content' in body ? Object.entries(body.content) : [];
  if (!schema || '$ref' in schema) throw new Error('the generated body has no inline schema');
  if (type !== 'application/json') return { required: true, content: { [type]: { schema } } };
  const { slug: _, ...properties } = schema.properties ?? {};
  const example = exampleOf({ ...schema, properties });
  return { required: true, content: { 'application/json': { schema, example } } };
}
