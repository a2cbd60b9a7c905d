import type { Scope } from '../../shared/contract/scopes.ts';
import type { RestRoute, ToolMeta } from '../kernel/meta.ts';
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

interface KeyRoute extends Route {
  /** Scope that the key needs. */
  scope: Scope;
  /** The tool that assistants call it by. */
  mcp?: ToolMeta | undefined;
}

const creates = { status: 201 } as const;

type Method = RestRoute['method'];

const rest = (
  method: Method,
  { path, summary, tag, contentTypes }: Route,
  protect = true,
): { openapi: RestRoute } => ({
  // Errors are documented from their own table.
  openapi: {
    method,
    path: `/api${path}`,
    summary,
    tags: [tag],
    protect,
    errorResponses: [],
    ...(contentTypes && { contentTypes }),
  },
});

const keyMeta = (method: Method, route: KeyRoute) => ({
  scope: route.scope,
  ...(route.mcp && { mcp: route.mcp }),
  ...rest(method, route),
});

/** Procedures behind an API key, each served at its REST path as well. A `post` creates, so it answers 201. */
export const get = (route: KeyRoute) => keyProcedure.meta(keyMeta('GET', route));
export const post = (route: KeyRoute) => keyWrite.meta({ ...creates, ...keyMeta('POST', route) });
/** A POST that makes no record: 200. */
export const command = (route: KeyRoute) => keyWrite.meta(keyMeta('POST', route));
export const patch = (route: KeyRoute) => keyWrite.meta(keyMeta('PATCH', route));
export const del = (route: KeyRoute) => keyWrite.meta(keyMeta('DELETE', route));

/** The same behind an owner's session. */
export const admin = {
  get: (route: Route) => ownerProcedure.meta(rest('GET', route)),
  post: (route: Route) => ownerProcedure.meta({ ...creates, ...rest('POST', route) }),
  patch: (route: Route) => ownerProcedure.meta(rest('PATCH', route)),
  del: (route: Route) => ownerProcedure.meta(rest('DELETE', route)),
  /** A POST that makes no record: 200. */
  command: (route: Route) => ownerProcedure.meta(rest('POST', route)),
  /** The same, told all by its path. */
  action: (route: Route) => ownerProcedure.meta({ bodyless: true, ...rest('POST', route) }),
};

/** A POST that needs no credential, at which guessing is slow: it counts in the strict tier. */
export const strictPost = (route: Route) => strictCommand(route).meta(creates);

/** The same where nothing is made: 200. */
export const strictCommand = (route: Route) =>
  publicProcedure.meta({ tier: 'strict', ...rest('POST', route, false) });
