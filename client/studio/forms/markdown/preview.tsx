import { Alert, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { texts } from '../../texts/texts.ts';
import { nonce } from '../../ui/nonce.ts';
import { Pending } from '../../ui/pending.tsx';
import { type Previewed, useFormServices } from '../services.ts';
import classes from './preview.module.css';

/**
 * A text as the site will show it: rendered and made safe by the service, in a frame where no script runs and whose
 * links lead nowhere. Its pictures need the studio's origin.
 */
export function Preview({ label, content }: { label: string; content: string }) {
  const services = useFormServices();
  const preview = useQuery({
    queryKey: ['preview', content],
    queryFn: ({ signal }) => services.preview(content, signal),
    gcTime: 0,
    staleTime: 'static',
  });
  if (!preview.data) return <Pending query={preview} skeleton={<Skeleton h={320} radius="md" />} />;
  return (
    <>
      {preview.data.is_plain && <Alert color="yellow">{texts.editor.shownPlain}</Alert>}
      <iframe
        className={classes.frame}
        title={texts.editor.previewOf(label)}
        sandbox="allow-same-origin"
        srcDoc={pageOf(preview.data)}
      />
    </>
  );
}

/** As little as lets the widest text stand as wide as on its page. */
const margins = 'body{padding:24px 8px}';

/** What stands around a text on a page of the site. */
const pageOf = ({ html, css, dir, language, scheme }: Previewed) => `<!doctype html>
<html lang="${language}" class="${scheme}" dir="${dir}">
<head><base target="_blank"><style nonce="${nonce}">${css}${margins}</style></head>
<body class="page-article"><article>
<div class="body prose">${html}</div>
</article></body>
</html>`;
