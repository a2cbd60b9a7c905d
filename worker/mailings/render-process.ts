/** Lays out one body, which is read from the standard input: prints its safe HTML. */
import { text } from 'node:stream/consumers';
import { renderBody } from '../../shared/markdown/render.ts';

process.stdout.write(renderBody(await text(process.stdin)).html);
