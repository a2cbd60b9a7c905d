import type { Actor } from '../../../shared/contract/history.ts';
import { texts } from '../texts/texts.ts';

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
