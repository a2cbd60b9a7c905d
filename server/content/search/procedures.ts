import {
  type SearchedCollection,
  SearchQuery,
  SearchResults,
  searchedCollections,
} from '../../../shared/contract/features/search.ts';
import { covers, mcpScope } from '../../../shared/contract/scopes.ts';
import { lacking, requireScopeOf } from '../../api/access/access-checks.ts';
import { get } from '../../api/access/route.ts';
import type { Caller } from '../../api/callers.ts';
import { searchOpen } from './store.ts';

/** Collections with a scope for assistants. Pages have none; a key that may read all content finds them. */
const scoped = ['posts', 'projects', 'courses', 'talks'] as const;

/** Search in all public content: GET /api/v1/search. */
export const search = {
  v1: {
    search: get({
      path: '/v1/search',
      scope: 'read',
      mcp: { name: 'search', resource: scoped },
      summary: 'Search posts, projects, courses, talks and pages',
      tag: 'search',
    })
      .meta({ reads: [...searchedCollections] })
      .input(SearchQuery)
      .use(({ ctx, input, next }) => {
        const { caller, surface } = ctx;
        const types = [...new Set(input.types ?? searchedCollections)];
        if (surface !== 'mcp') return next({ ctx: { types } });
        const refused = input.types?.find((type) => !mayRead(caller, type));
        if (refused === 'pages') throw lacking(caller, ['mcp:read']);
        if (refused) requireScopeOf(refused, ctx);
        return next({ ctx: { types: types.filter((type) => mayRead(caller, type)) } });
      })
      .output(SearchResults)
      .query(({ ctx, input: { q, limit } }) => searchOpen(ctx, q, ctx.types, limit)),
  },
};

const mayRead = (caller: Caller, type: SearchedCollection) =>
  caller.kind === 'key' && covers(caller.scopes, type === 'pages' ? 'mcp:read' : mcpScope(type, 'read'));
