import type { Actor } from '../../../shared/contract/history.ts';
import { texts } from './texts.ts';

/** Names without a field of their own that say something else to a person than to a program. */
const named: Record<string, string> = { publish_at: 'Schedule', mcp_enabled: 'Assistants' };

/** What a person calls a field; without words of its own, a name of the contract as it reads: `last_seen_at` is `Last seen at`. */
export const labelOf = (name: string, field?: { label?: string }): string =>
  field?.label ?? named[name] ?? capitalised(name.replaceAll('_', ' '));

export const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Who wrote something, in words. */
export function actorName({ kind, name }: Actor): string {
  switch (kind) {
    case 'owner':
      return name;
    case 'schedule':
      return texts.actors.schedule;
    default:
      return texts.actors[kind](name);
  }
}
