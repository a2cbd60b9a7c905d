import type { AnyRouter } from '@trpc/server';
import type { oas31 } from 'openapi3-ts';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { type RestProcedure, restProceduresOf } from '../../kernel/procedures.ts';
import { nameSchemas } from './components.ts';
import { headers } from './headers.ts';
import { introductionOf } from './introduction.ts';
import { completeOperation } from './operation.ts';
import { documentPaths } from './paths.ts';
import { refusalResponse, refusalsOf } from './refusals.ts';
import { tags } from './tags.ts';
import { mapDocument, tidy } from './tidy.ts';
import { version } from './version.ts';
import { deliveryRequests } from './webhooks.ts';

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

/**
 * The OpenAPI 3.1 document of all that `router` serves below `/api` of `publicUrl`: trpc-to-openapi writes the
 * operations with their contracts; what it has no words for is added here.
 */
export function createOpenApiDocument(router: AnyRouter, publicUrl: URL): oas31.OpenAPIObject {
  const procedures = restProceduresOf(router);
  const generated = generateOpenApiDocument(router, {
    title: 'Creator Content Service',
    version,
    openApiVersion: '3.1.1',
    description: introductionOf(router, publicUrl),
    contact: { name: 'The owner of the site', url: publicUrl.origin },
    license: { name: 'MIT', identifier: 'MIT' },
    baseUrl: publicUrl.origin,
    securitySchemes,
  });
  const { paths, ...document } = mapDocument(generated, tidy);
  return nameSchemas({
    ...document,
    servers: [{ url: publicUrl.origin, description: 'This site' }],
    tags: usedTags(procedures),
    paths: completePaths(paths, procedures),
    webhooks: deliveryRequests(),
    components: { securitySchemes, headers, responses: refusalResponses(procedures) },
  });
}

/** Methods as the document names them. */
const documentMethods = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

function completePaths(generated: oas31.PathsObject = {}, procedures: readonly RestProcedure[]) {
  const paths: oas31.PathsObject = {};
  const shown = documentPaths(procedures);
  for (const procedure of procedures) {
    const { path } = procedure.meta.openapi;
    const method = documentMethods[procedure.meta.openapi.method];
    const operation = generated[path]?.[method];
    if (!operation) throw new Error(`${procedure.name} is not in the generated document`);
    const documentPath = shown.get(path) ?? path;
    const completed = completeOperation(operation, procedure, documentPath);
    paths[documentPath] = { ...paths[documentPath], [method]: completed };
  }
  return paths;
}

function refusalResponses(procedures: readonly RestProcedure[]): Record<string, oas31.ResponseObject> {
  const refusals = procedures.flatMap(refusalsOf).map((refusal) => [refusal.name, refusalResponse(refusal)]);
  return Object.fromEntries(refusals);
}

function usedTags(procedures: readonly RestProcedure[]): oas31.TagObject[] {
  const used = new Set(['deliveries', ...procedures.flatMap(({ meta }) => meta.openapi.tags)]);
  const undescribed = [...used].filter((name) => !(name in tags));
  if (undescribed.length > 0)
    throw new Error(`server/surfaces/openapi/tags.ts lacks ${undescribed.join(', ')}`);
  return Object.entries(tags).flatMap(([name, description]) =>
    used.has(name) ? [{ name, description }] : [],
  );
}
