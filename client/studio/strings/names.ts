import type { Actor } from '../../../shared/contract/history.ts';
import { strings } from './ui-strings.ts';

/** Labels, by name, of values that no resource has as a field. */
const named: Record<string, string> = { publish_at: 'Schedule', mcp_enabled: 'Assistants' };

/** Returns the label of a field. Without one, it derives it from the name: `last_seen_at` becomes `Last seen at`. */
export const labelOf = (name: string, field?: { label?: string }): string =>
  field?.label ?? named[name] ?? capitalised(name.replaceAll('_', ' '));

export const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Describes the author of a change. */
export function actorName({ kind, name }: Actor): string {
  switch (kind) {
    case 'owner':
      return name;
    case 'schedule':
      return strings.actors.schedule;
    default:
      return strings.actors[kind](name);
  }
}
