import type { page } from '../../shared/contract/resources/page.ts';
import type { Dated } from './dated.ts';

export const pages: Dated<typeof page>[] = [
  {
    daysAgo: 120,
    title: 'Now',
    content: 'Recording a course about schema design. Reading about tides. Looking for cake.',
  },
  {
    daysAgo: 121,
    title: 'Imprint',
    content: 'Ada Marsh, Rua do Exemplo 1, Porto. Written by hand, served by PostgreSQL.',
  },
];
