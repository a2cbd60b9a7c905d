import type { AnyRouter } from '@trpc/server';
import type { oas31 } from 'openapi3-ts';
import { type RestProcedure, restProceduresOf } from '../../kernel/procedures.ts';
import { nameSchemas } from './components.ts';
import { headers } from './headers.ts';
import { introduction } from './introduction.ts';
import { operationOf } from './operation.ts';
import { documentPaths } from './paths.ts';
import { refusalResponse, refusalsOf } from './refusals.ts';
import { tags } from './tags.ts';

/** The version of the interface (SPEC "Versioning"). */
export const version = '1.0.0';

const securitySchemes: Record<string, oas31.SecuritySchemeObject> = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_live_…',
    description: 'An API key with the scope that the operation names',
  },
  ownerSession: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_owner_…',
    description: "The token of the owner's session",
  },
};

/** The OpenAPI 3.1 document of all that `router` serves below `/api` of `publicUrl`. */
export function createOpenApiDocument(router: AnyRouter, publicUrl: URL): oas31.OpenAPIObject {
  const procedures = restProceduresOf(router);
  return nameSchemas({
    openapi: '3.1.1',
    info: {
      title: 'Creator Content Service',
      version,
      description: introduction,
      contact: { name: 'The owner of the site', url: publicUrl.origin },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl.origin, description: 'This site' }],
    tags: usedTags(procedures),
    paths: pathsOf(procedures),
    components: { securitySchemes, headers, responses: refusalResponses(procedures) },
  });
}

function pathsOf(procedures: readonly RestProcedure[]): oas31.PathsObject {
  const paths: oas31.PathsObject = {};
  const shown = documentPaths(procedures);
  for (const procedure of procedures) {
    const path = shown.get(procedure.meta.rest.path) ?? procedure.meta.rest.path;
    const method = procedure.meta.rest.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
    paths[path] = { ...paths[path], [method]: operationOf(procedure, path) };
  }
  return paths;
}

function refusalResponses(procedures: readonly RestProcedure[]): Record<string, oas31.ResponseObject> {
  const refusals = procedures.flatMap(refusalsOf).map((refusal) => [refusal.name, refusalResponse(refusal)]);
  return Object.fromEntries(refusals);
}

function usedTags(procedures: readonly RestProcedure[]): oas31.TagObject[] {
  const used = new Set(procedures.map(({ meta }) => meta.rest.tag));
  const undescribed = [...used].filter((name) => !(name in tags));
  if (undescribed.length > 0)
    throw new Error(`server/surfaces/openapi/tags.ts lacks ${undescribed.join(', ')}`);
  return Object.entries(tags).flatMap(([name, description]) =>
    used.has(name) ? [{ name, description }] : [],
  );
}
