/** The part of autocannon's interface that is used here; the package declares none. */
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
    /** Whether `[<id>]` in the body becomes another word in every request. */
    idReplacement?: boolean;
    connections: number;
    /** Seconds. */
    duration: number;
    headers?: Record<string, string>;
    requests?: readonly { setupRequest(request: Request): Request }[];
    /** Called for each connection. */
    setupClient?(client: Client): void;
  }
  export default function autocannon(options: Options): Promise<unknown>;
}
