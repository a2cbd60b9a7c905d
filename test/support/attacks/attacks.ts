import type { Attack } from './attacker.ts';
import { connections } from './connections.ts';
import { imports, pictures } from './files.ts';
import { reads } from './reads.ts';
import { forms, texts } from './texts.ts';

/** All attacks by one site or its visitors on the other sites of the process. */
export const attacks: readonly Attack[] = [
  ...texts,
  ...forms,
  ...pictures,
  ...imports,
  ...reads,
  ...connections,
];
