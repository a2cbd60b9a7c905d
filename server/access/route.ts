import type { Area } from '../../shared/contract/roles.ts';
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

const staffMeta = (method: Method, route: StaffRoute) => ({
  ...(route.area && { area: route.area }),
  ...rest(method, route),
});

/** Procedures behind an API key, each served at its REST path as well. A `post` creates, so it answers 201. */
export const get = (route: KeyRoute) => keyProcedure.meta(keyMeta('GET', route));
export const post = (route: KeyRoute) => keyWrite.meta({ ...creates, ...keyMeta('POST', route) });
/** A POST that makes no record: 200. */
export const command = (route: KeyRoute) => keyWrite.meta(keyMeta('POST', route));
export const patch = (route: KeyRoute) => keyWrite.meta(keyMeta('PATCH', route));
export const del = (route: KeyRoute) => keyWrite.meta(keyMeta('DELETE', route));

/** The same behind a session. */
export const admin = {
  get: (route: StaffRoute) => ownerProcedure.meta(staffMeta('GET', route)),
  post: (route: StaffRoute) => ownerProcedure.meta({ ...creates, ...staffMeta('POST', route) }),
  patch: (route: StaffRoute) => ownerProcedure.meta(staffMeta('PATCH', route)),
  del: (route: StaffRoute) => ownerProcedure.meta(staffMeta('DELETE', route)),
  /** A POST that makes no record: 200. */
  command: (route: StaffRoute) => ownerProcedure.meta(staffMeta('POST', route)),
  /** The same, told all by its path. */
  action: (route: StaffRoute) => ownerProcedure.meta({ bodyless: true, ...staffMeta('POST', route) }),
};

/** A POST that needs no credential, at which guessing is slow: it counts in the strict tier. */
export const strictPost = (route: Route) => strictCommand(route).meta(creates);

/** The same where nothing is made: 200. */
export const strictCommand = (route: Route) =>
  publicProcedure.meta({ tier: 'strict', ...rest('POST', route, false) });
