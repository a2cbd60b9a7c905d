import { excerpt, firstParagraphs } from '../../shared/markdown/excerpt.ts';
import { renderBody } from '../../shared/markdown/render.ts';
import { excerptJob, firstParagraphsJob, renderJob } from '../features/markdown/jobs.ts';
import { handles } from './handlers.ts';

export const handlers = [
  handles(renderJob, renderBody),
  handles(excerptJob, excerpt),
  handles(firstParagraphsJob, firstParagraphs),
];
