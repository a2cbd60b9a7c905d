import type { Scope } from '../../shared/contract/scopes.ts';
import { keyProcedure } from './procedures.ts';

interface Route {
  /** Below `/api`, parameters in braces. */
  path: `/${string}`;
  scope: Scope;
  /** One line for the documentation. */
  summary: string;
  /** Group in the documentation. */
  tag: string;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const route = (method: Method, { path, scope, summary, tag }: Route) =>
  keyProcedure.meta({
    scope,
    tier: 'normal',
    openapi: { method, path, summary, tags: [tag], protect: true },
  });

/** Procedures behind an API key, each served at its REST path as well. */
export const get = (options: Route) => route('GET', options);
export const post = (options: Route) => route('POST', options).meta({ status: 201 });
export const patch = (options: Route) => route('PATCH', options);
export const del = (options: Route) => route('DELETE', options);
