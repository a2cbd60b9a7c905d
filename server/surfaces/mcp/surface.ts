import type { Deps } from '../../kernel/deps.ts';
import { type Procedure, proceduresOf } from '../../kernel/procedures.ts';
import type { AppRouter } from '../../router/app-router.ts';
import { assistantsRouter } from '../../router/assistants.ts';
import { createOpenApiDocument } from '../openapi/document.ts';
import { type Tool, toolsOf } from './tools.ts';

/** What is served to every assistant alike. Made once a process. */
export interface McpSurface {
  tools: ReadonlyMap<string, Tool>;
  /** Every procedure by its name: prompts and resources read through some of them. */
  procedures: ReadonlyMap<string, Procedure>;
  /** The OpenAPI document as JSON. */
  openApi(): string;
}

export function createMcpSurface(router: AppRouter, { config }: Deps): McpSurface {
  let document: string | undefined;
  const procedures = new Map([...proceduresOf(router), ...proceduresOf(assistantsRouter)]);
  return {
    tools: toolsOf(procedures.values()),
    procedures,
    openApi: () => (document ??= JSON.stringify(createOpenApiDocument(router, config.publicUrl))),
  };
}
