import type { Deps } from '../../kernel/deps.ts';
import type { AppRouter } from '../../router/app-router.ts';
import { createOpenApiDocument } from '../openapi/document.ts';
import { type Tool, toolsOf } from './tools.ts';

/** What the MCP surface serves, the same for every assistant. */
export interface McpSurface {
  router: AppRouter;
  tools: ReadonlyMap<string, Tool>;
  /** The OpenAPI document as JSON. */
  openApi(): string;
}

export function createMcpSurface(router: AppRouter, { config }: Deps): McpSurface {
  let document: string | undefined;
  return {
    router,
    tools: toolsOf(router),
    openApi: () => (document ??= JSON.stringify(createOpenApiDocument(router, config.publicUrl))),
  };
}
