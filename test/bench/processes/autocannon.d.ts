/** The part of autocannon's interface that is used here; the package declares none. */
declare module 'autocannon' {
  interface Request {
    path?: string;
  }
  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    headers: Record<string, string>;
    requests: readonly { setupRequest(request: Request): Request }[];
  }
  export default function autocannon(options: Options): Promise<unknown>;
}
