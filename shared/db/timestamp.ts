/**
 * A moment that writes itself to JSON in the form that REST has, `<date> <time>.<milliseconds>Z`, and is a
 * plain Date everywhere else: superjson gives RPC clients real Dates, webhook bodies call `toISOString`.
 */
export class Timestamp extends Date {
  override toJSON(): string {
    return this.toISOString().replace('T', ' ');
  }
}
