import { Alert, Skeleton, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { texts } from '../../texts/texts.ts';
import { Pending } from '../../ui/pending.tsx';
import { useFormServices } from '../services.ts';
import classes from './preview.module.css';

/**
 * A text as the site will show it: rendered and made safe by the service, in a frame where no script runs and whose
 * links lead nowhere. Its pictures need the studio's origin.
 */
export function Preview({ label, content }: { label: string; content: string }) {
  const services = useFormServices();
  const scheme = useComputedColorScheme();
  const preview = useQuery({
    queryKey: ['preview', content],
    queryFn: ({ signal }) => services.preview(content, signal),
    gcTime: 0,
  });
  if (!preview.data) return <Pending query={preview} skeleton={<Skeleton h={320} radius="md" />} />;
  return (
    <>
      {preview.data.is_plain && <Alert color="yellow">{texts.editor.shownPlain}</Alert>}
      <iframe
        className={classes.frame}
        style={{ maxWidth: preview.data.width }}
        title={texts.editor.previewOf(label)}
        sandbox="allow-same-origin"
        srcDoc={`<!doctype html><meta name="color-scheme" content="${scheme}"><link rel="stylesheet" href="${sheet}"><article>${preview.data.html}</article>`}
      />
    </>
  );
}

const sheet = new URL('./preview-page.css', import.meta.url).href;
