import { Button } from '@mantine/core';
import { useSiteLink } from '../data/api.tsx';
import { IconExternalLink } from '../ui/icons.ts';

/** Leads to the page of the site where visitors do what a list here waits for. */
export function ToSite({ path, children }: { path: string; children: string }) {
  const linkTo = useSiteLink();
  return (
    <Button
      component="a"
      href={linkTo(path)}
      target="_blank"
      variant="default"
      rightSection={<IconExternalLink size={15} />}
    >
      {children}
    </Button>
  );
}
