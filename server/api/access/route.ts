import type { Area } from '../../../shared/contract/roles.ts';
import type { Scope } from '../../../shared/contract/scopes.ts';
import type { RestRoute, ToolMeta } from '../meta.ts';
import { keyProcedure, keyWrite, ownerProcedure, publicProcedure } from './procedures.ts';

/** Where a procedure is served over REST, and what it is. */
export interface Route {
  /** Below `/api`, parameters in braces. */
  path: `/${string}`;
  summary: string;
  tag: string;
  /** Of the body, where it is no JSON. */
  contentTypes?: ['multipart/form-data'];
}

interface StaffRoute extends Route {
  /** Area that a role has to open; only owners when left out. */
  area?: Area;
}

interface KeyRoute extends Route {
  /** Scope that the key needs. */
  scope: Scope;
  /** The tool that assistants call it by. */
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

/** Procedures behind an API key, each served at its REST path as well. A `post` creates, so it answers 201. */
export const get = (route: KeyRoute) => keyProcedure.meta(metaOf('GET', route));
export const post = (route: KeyRoute) => keyWrite.meta({ ...creates, ...metaOf('POST', route) });
/** A POST that makes no record: 200. */
export const command = (route: KeyRoute) => keyWrite.meta(metaOf('POST', route));
export const patch = (route: KeyRoute) => keyWrite.meta(metaOf('PATCH', route));
export const del = (route: KeyRoute) => keyWrite.meta(metaOf('DELETE', route));

/** The same behind a session. */
export const admin = {
  get: (route: StaffRoute) => ownerProcedure.meta(metaOf('GET', route)),
  post: (route: StaffRoute) => ownerProcedure.meta({ ...creates, ...metaOf('POST', route) }),
  patch: (route: StaffRoute) => ownerProcedure.meta(metaOf('PATCH', route)),
  del: (route: StaffRoute) => ownerProcedure.meta(metaOf('DELETE', route)),
  /** A POST that makes no record: 200. */
  command: (route: StaffRoute) => ownerProcedure.meta(metaOf('POST', route)),
  /** The same, told all by its path. */
  action: (route: StaffRoute) => ownerProcedure.meta({ bodyless: true, ...metaOf('POST', route) }),
};

/** A POST that needs no credential, at which guessing is slow: it counts in the strict tier. */
export const strictPost = (route: Route) => strictCommand(route).meta(creates);

/** The same where nothing is made: 200. */
export const strictCommand = (route: Route) =>
  publicProcedure.meta({ tier: 'strict', ...metaOf('POST', route, false) });
