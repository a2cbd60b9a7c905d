import { type Procedure, proceduresOf } from '../../kernel/procedures.ts';
import { type AppRouter, assistantsRouter } from '../../router/app-router.ts';
import type { WrittenDocument } from '../openapi/written-document.ts';
import { type Tool, toolsOf } from './tools.ts';

/** What assistants get: the procedures, and the description of REST. */
export interface Served {
  router: AppRouter;
  document: WrittenDocument;
}

/** What is served to every assistant alike. Made once a process. */
export interface McpSurface {
  tools: ReadonlyMap<string, Tool>;
  /** Every procedure by its name: prompts and resources read through some of them. */
  procedures: ReadonlyMap<string, Procedure>;
  document: WrittenDocument;
}

export async function createMcpSurface({ router, document }: Served): Promise<McpSurface> {
  const procedures = new Map([...proceduresOf(router), ...proceduresOf(assistantsRouter)]);
  return { tools: await toolsOf(procedures.values()), procedures, document };
}
