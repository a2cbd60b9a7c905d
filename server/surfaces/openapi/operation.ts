import type { oas31 } from 'openapi3-ts';
import type { Scope } from '../../../shared/contract/scopes.ts';
import { typeName } from '../../../shared/contract/type-name.ts';
import type { Meta, RestRoute } from '../../kernel/meta.ts';
import { type RestProcedure, takesBody } from '../../kernel/procedures.ts';
import { headersOf } from './headers.ts';
import { schemaOf } from './json-schema.ts';
import { headersIn, parametersIn } from './parameters.ts';
import { parametersOf } from './paths.ts';
import { refusalsOf } from './refusals.ts';

/** The operation that a procedure is over REST. `documentPath` is its path in the document. */
export function operationOf(procedure: RestProcedure, documentPath: string): oas31.OperationObject {
  const { name, meta } = procedure;
  const parameters = [...parametersIn(procedure, documentPath), ...headersIn(meta)];
  return {
    operationId: operationId(name),
    summary: summaryOf(meta.rest),
    tags: [meta.rest.tag],
    ...accessOf(meta),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(takesBody(procedure) ? { requestBody: { required: true, content: json(bodyOf(procedure)) } } : {}),
    responses: {
      [meta.status ?? 200]: success(procedure),
      ...(meta.cached ? { 304: notModified } : {}),
      ...Object.fromEntries(
        refusalsOf(procedure).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  };
}

/** Both versions list and get the same records. */
const summaryOf = ({ path, summary }: RestRoute) => (path.startsWith('/v2/') ? `${summary} (v2)` : summary);

/** `v1.posts.list` as generated clients call it: `v1PostsList`. */
const operationId = (name: string) => name.charAt(0) + typeName(name).slice(1);

interface Access {
  description: string;
  security: oas31.SecurityRequirementObject[];
  'x-required-scope'?: Scope;
}

/** Who may call an operation, and how often. Lint rules know scopes of OAuth only, so an API key's is an extension. */
function accessOf({ access, scope, tier = 'normal', keyTier }: Meta): Access {
  const limit = `Counts in the limit \`${tier}\`${keyTier ? `, and by key in \`${keyTier}\`` : ''}.`;
  switch (access) {
    case 'key':
      return {
        description: `Needs an API key with the scope \`${scope}\`. ${limit}`,
        security: [{ apiKey: [] }],
        ...(scope ? { 'x-required-scope': scope } : {}),
      };
    case 'owner':
      return { description: `Needs the owner's session. ${limit}`, security: [{ ownerSession: [] }] };
    default:
      return { description: `Needs no credential. ${limit}`, security: [] };
  }
}

const success = ({ output, meta }: RestProcedure): oas31.ResponseObject => ({
  description: output.meta()?.description ?? (meta.status === 201 ? 'Created' : 'OK'),
  headers: headersOf(meta.status ?? 200, meta.cached !== undefined),
  content: json(schemaOf(output, 'output')),
});

const notModified: oas31.ResponseObject = {
  description: 'The copy that `If-None-Match` names is still right',
  headers: headersOf(304, true),
};

/** The input without what the path says. */
function bodyOf({ name, input, meta }: RestProcedure): oas31.SchemaObject {
  if (!input) throw new Error(`${name} takes a body, but has no input`);
  const body = schemaOf(input, 'input');
  const inPath = parametersOf(meta.rest.path);
  for (const parameter of inPath) delete body.properties?.[parameter];
  const required = body.required?.filter((field) => !inPath.includes(field)) ?? [];
  if (required.length > 0) return { ...body, required };
  delete body.required;
  return body;
}

const json = (schema: oas31.SchemaObject): oas31.ContentObject => ({ 'application/json': { schema } });
