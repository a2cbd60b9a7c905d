import { labelOf } from '../../texts/names.ts';
import { texts } from '../../texts/texts.ts';

const words: Readonly<Record<string, string>> = texts.activity.actions;

/** What a procedure did, in words; one without words of its own is told by its name. */
export const actionText = (action: string): string =>
  words[action] ??
  action
    .split('.')
    .slice(1)
    .map((name) => labelOf(name))
    .join(': ');
