/** Returns the code of an error over REST or RPC; undefined if there is none. */
export function codeOf(body: unknown): string | undefined {
  const { error } = body as { error?: { code?: string; json?: { data: { code: string } } } };
  return error?.json?.data.code ?? error?.code;
}
