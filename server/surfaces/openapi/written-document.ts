import type { AnyRouter } from '@trpc/server';

/** The OpenAPI document as JSON, the same for everybody. */
export type WrittenDocument = () => Promise<string>;

/**
 * The document of what `router` serves, written down when it is first asked for: what writes it takes a fifth of a second to
 * load and run, and several megabytes, which a process that is never asked does without.
 */
export function createWrittenDocument(router: AnyRouter, publicUrl: URL): WrittenDocument {
  let written: Promise<string> | undefined;
  const write = async () => {
    const { createOpenApiDocument } = await import('./document.ts');
    return JSON.stringify(createOpenApiDocument(router, publicUrl));
  };
  return () => (written ??= write());
}
