/** The part of autocannon's interface that is used here; the package declares none. */
declare module 'autocannon' {
  interface Request {
    path?: string;
    headers?: Record<string, string>;
  }
  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    requests: readonly { setupRequest(request: Request): Request }[];
  }
  export default function autocannon(options: Options): Promise<unknown>;
}
