import { excerpt, firstParagraphs } from '../features/markdown/excerpt.ts';
import { excerptJob, firstParagraphsJob, renderJob } from '../features/markdown/jobs.ts';
import { renderBody } from '../features/markdown/render.ts';
import { handles } from './handlers.ts';

export const handlers = [
  handles(renderJob, renderBody),
  handles(excerptJob, excerpt),
  handles(firstParagraphsJob, firstParagraphs),
];
