/** The code of a failure, over REST or over RPC. */
export function codeOf(body: unknown): string | undefined {
  const { error } = body as { error?: { code?: string; json?: { data: { code: string } } } };
  return error?.json?.data.code ?? error?.code;
}
