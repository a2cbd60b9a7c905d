import { withAbsoluteMarkdown } from '../../shared/markdown/absolute-markdown.ts';
import { excerpt, firstParagraphs } from '../../shared/markdown/excerpt.ts';
import { renderBody } from '../../shared/markdown/render.ts';
import { absoluteJob, excerptJob, firstParagraphsJob, renderJob } from '../features/markdown/jobs.ts';
import { handles } from './handlers.ts';

export const handlers = [
  handles(renderJob, renderBody),
  handles(absoluteJob, withAbsoluteMarkdown),
  handles(excerptJob, excerpt),
  handles(firstParagraphsJob, firstParagraphs),
];
