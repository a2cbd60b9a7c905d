import { html } from 'hono/html';
import { defaultTheme } from '../../../../shared/contract/features/theme.ts';
import type { Words } from '../../../../shared/words/en.ts';
import type { ResponseCache } from '../../../kernel/response-cache.ts';
import { stylesheetFor } from '../style/stylesheet.ts';
import type { View } from './parts.ts';

/** A page of no site, in our own words and look: it links nowhere. */
export const barePage = (
  { responses }: { responses: ResponseCache },
  { language }: Words,
  { title, main }: { title: string; main: View },
): View => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${stylesheetFor(defaultTheme, responses).path}">
</head>
<body class="page-message">
<main>${main}</main>
</body>
</html>
`;
