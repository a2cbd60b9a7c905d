import { setImmediate } from 'node:timers/promises';
import type { AnyRouter } from '@trpc/server';
import type { oas31 } from 'openapi3-ts';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { errorCodes } from '../../../shared/contract/errors.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { type RestProcedure, restProceduresOf } from '../../api/procedures.ts';
import { headers } from './headers.ts';
import { introductionOf } from './introduction.ts';
import { completeOperation, documentPaths } from './operation.ts';
import { refusalResponse, refusalsOf } from './refusals.ts';
import { createSchemaNames, type Lists, mapDocument, tidy, withLists } from './schemas.ts';
import { version } from './version.ts';
import { deliveryRequests } from './webhooks.ts';

const securitySchemes: Record<string, oas31.SecuritySchemeObject> = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_live_…',
    description: 'API key with the scope that the operation requires',
  },
  ownerSession: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_owner_…',
    description: "Token of an owner's session",
  },
};

const contents = Object.values(resources).map(({ collection, description }) => [collection, description]);

const tasks: readonly { name: string; tags: readonly string[] }[] = [
  { name: 'Content', tags: ['posts', 'projects', 'courses', 'talks', 'previews', 'media'] },
  { name: 'Profile and CV', tags: ['profile', 'experience', 'education', 'skills', 'certifications'] },
  { name: 'Search', tags: ['search'] },
  { name: 'Audience', tags: ['members', 'payments', 'learners', 'subscribers', 'mailings', 'analytics'] },
  { name: 'Events and webhooks', tags: ['events', 'webhooks', 'deliveries'] },
  { name: 'Administration', tags: ['session', 'api-keys'] },
];

const tags: Readonly<Record<string, string>> = {
  profile: 'Profile of the creator',
  ...Object.fromEntries(contents),
  previews: 'Drafts that are shared by preview links',
  media: 'Uploaded files: images, PDF documents, audio and video',
  search: 'Full-text search over posts, projects, courses, talks and pages',
  members: 'Accounts of readers',
  payments: 'Purchases and memberships, whoever took the money',
  learners: 'Learners in courses: enrollments and their progress',
  subscribers: 'Newsletter subscribers, including former ones',
  mailings: 'Posts that are emailed to newsletter subscribers',
  analytics: 'Page views and visitors',
  events: 'Event log, for programs that poll instead of receiving webhooks',
  webhooks: 'Webhook subscriptions, which receive events as signed deliveries',
  deliveries: 'Requests that webhook receivers get',
  session: "Owners' sessions, required by all other administration endpoints",
  'api-keys': 'Credentials for programs',
};

const openapi = '3.1.1';
const title = 'Creator Content Service';

/**
 * Creates the OpenAPI 3.1 document of everything that `router` serves below `/api` of `publicUrl`. trpc-to-openapi
 * writes the operations with their contracts; the rest is added here. `lists` selects the form of list records. All of
 * it takes up to a second, so other work gets a turn after each operation.
 */
export async function createOpenApiDocument(
  router: AnyRouter,
  publicUrl: URL,
  lists: Lists = 'sparse',
): Promise<oas31.OpenAPIObject> {
  const procedures = restProceduresOf(router);
  const { origin } = publicUrl;
  const names = createSchemaNames();
  const finish = (part: object) => names.give(withLists(lists, part));
  const shown = documentPaths(procedures);
  const paths: oas31.PathsObject = {};
  for (const procedure of procedures) {
    await setImmediate();
    const { path } = procedure.meta.openapi;
    const documentPath = shown.get(path) ?? path;
    const written = writeOperation(router, procedure, { documentPath, origin });
    paths[documentPath] = { ...paths[documentPath], ...finish(written) };
  }
  await setImmediate();
  const around = finish({
    openapi,
    info: {
      title,
      description: introductionOf(router, publicUrl),
      version,
      contact: { name: 'Owner of the site', url: origin },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin, description: 'This site' }],
    components: { securitySchemes, headers, responses: refusalResponses(procedures) },
    tags: usedTags(procedures),
    'x-tagGroups': tasks,
    paths: {},
    webhooks: deliveryRequests(),
  });
  return { ...around, paths, components: { ...around.components, schemas: names.schemas() } };
}

const documentMethods = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

function writeOperation(
  router: AnyRouter,
  procedure: RestProcedure,
  { documentPath, origin }: { documentPath: string; origin: string },
): oas31.PathItemObject {
  const route = procedure.meta.openapi;
  const method = documentMethods[route.method];
  const generated = generateOpenApiDocument(router, {
    ...{ title, version, openApiVersion: openapi, baseUrl: origin, securitySchemes },
    filter: ({ metadata }) => metadata.openapi === route,
  });
  const operation = mapDocument(generated, tidy).paths?.[route.path]?.[method];
  if (!operation) throw new Error(`${procedure.name} is not in the generated document`);
  return { [method]: completeOperation(operation, procedure, documentPath) };
}

/** Creates the error responses by name, with all codes that their operations return. */
function refusalResponses(procedures: readonly RestProcedure[]): Record<string, oas31.ResponseObject> {
  const byName = Map.groupBy(procedures.flatMap(refusalsOf), ({ name }) => name);
  const responses = [...byName].map(([name, [first, ...more]]) => {
    const given = new Set([first, ...more].flatMap((refusal) => refusal?.codes ?? []));
    const codes = errorCodes.filter((code) => given.has(code));
    return [name, refusalResponse({ name, status: first?.status ?? 500, codes })] as const;
  });
  return Object.fromEntries(responses);
}

/** Returns `Skills` for `skills`. */
const displayName = (tag: string) =>
  tag === 'api-keys' ? 'API keys' : tag.charAt(0).toUpperCase() + tag.slice(1);

function usedTags(procedures: readonly RestProcedure[]): oas31.TagObject[] {
  const used = new Set(['deliveries', ...procedures.flatMap(({ meta }) => meta.openapi.tags)]);
  const order = tasks.flatMap((task) => task.tags);
  const unlisted = [...used].filter((name) => !(name in tags && order.includes(name)));
  if (unlisted.length > 0) throw new Error(`tags or tasks are missing for ${unlisted.join(', ')}`);
  return order.flatMap((name) =>
    used.has(name) ? [{ name, 'x-displayName': displayName(name), description: tags[name] ?? '' }] : [],
  );
}
