/** Part of autocannon's API that is used here; the package has no types. */
declare module 'autocannon' {
  interface Request {
    path?: string;
    headers?: Record<string, string>;
  }
  interface Client {
    setHeaders(headers: Record<string, string>): void;
  }
  interface Options {
    url: string;
    method?: 'GET' | 'POST';
    body?: string;
    /** True if `[<id>]` in the body is replaced by a different word in each request. */
    idReplacement?: boolean;
    connections: number;
    /** Duration in seconds. */
    duration: number;
    headers?: Record<string, string>;
    requests?: readonly { setupRequest(request: Request): Request }[];
    /** Called for each connection. */
    setupClient?(client: Client): void;
  }
  export default function autocannon(options: Options): Promise<unknown>;
}
