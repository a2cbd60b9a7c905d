import type { Area } from '../../../shared/contract/roles.ts';
import type { Scope } from '../../../shared/contract/scopes.ts';
import type { RestRoute, ToolMeta } from '../meta.ts';
import { keyProcedure, keyWrite, ownerProcedure, publicProcedure } from './procedures.ts';

/** REST endpoint of a procedure, with its documentation. */
export interface Route {
  /** Path below `/api`, with parameters in braces. */
  path: `/${string}`;
  summary: string;
  tag: string;
  /** Type of the body if it is not JSON. */
  contentTypes?: ['multipart/form-data'];
}

interface StaffRoute extends Route {
  /** Area that the caller's role has to open; undefined for owners only. */
  area?: Area;
}

interface KeyRoute extends Route {
  scope: Scope;
  mcp?: ToolMeta | undefined;
}

const creates = { status: 201 } as const;

const metaOf = (
  method: RestRoute['method'],
  { path, summary, tag, contentTypes, scope, mcp, area }: StaffRoute & Partial<KeyRoute>,
  protect = true,
) => ({
  ...(scope && { scope }),
  ...(mcp && { mcp }),
  ...(area && { area }),
  // Errors are documented from their own table.
  openapi: {
    method,
    path: `/api${path}`,
    summary,
    tags: [tag],
    protect,
    errorResponses: [],
    ...(contentTypes && { contentTypes }),
  } satisfies RestRoute,
});

/**
 * Returns the builder of a procedure that requires an API key, served over REST too. `get`, `patch` and `del` answer 200;
 * `post` creates a record and answers 201.
 */
export const get = (route: KeyRoute) => keyProcedure.meta(metaOf('GET', route));
export const post = (route: KeyRoute) => keyWrite.meta({ ...creates, ...metaOf('POST', route) });
/** Returns the builder of a POST that requires an API key, creates no record and answers 200. */
export const command = (route: KeyRoute) => keyWrite.meta(metaOf('POST', route));
export const patch = (route: KeyRoute) => keyWrite.meta(metaOf('PATCH', route));
export const del = (route: KeyRoute) => keyWrite.meta(metaOf('DELETE', route));

/** Procedures that require a session, served over REST too. */
export const admin = {
  get: (route: StaffRoute) => ownerProcedure.meta(metaOf('GET', route)),
  post: (route: StaffRoute) => ownerProcedure.meta({ ...creates, ...metaOf('POST', route) }),
  patch: (route: StaffRoute) => ownerProcedure.meta(metaOf('PATCH', route)),
  del: (route: StaffRoute) => ownerProcedure.meta(metaOf('DELETE', route)),
  /** Defines a POST that creates no record and answers 200. */
  command: (route: StaffRoute) => ownerProcedure.meta(metaOf('POST', route)),
  /** Defines a POST without a body: its path has all of its input. */
  action: (route: StaffRoute) => ownerProcedure.meta({ bodyless: true, ...metaOf('POST', route) }),
};

/**
 * Returns the builder of a POST that requires no credential and answers 201. It counts in the rate limit tier `strict`,
 * which makes guessing slow.
 */
export const strictPost = (route: Route) => strictCommand(route).meta(creates);

/** Returns the builder of a POST that requires no credential and answers 200. It counts in the rate limit tier `strict`. */
export const strictCommand = (route: Route) =>
  publicProcedure.meta({ tier: 'strict', ...metaOf('POST', route, false) });
