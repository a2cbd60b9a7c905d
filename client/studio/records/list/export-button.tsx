import { Button } from '@mantine/core';
import { texts } from '../../strings/texts.ts';
import { IconDownload } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

interface ExportButtonProps {
  label?: string;
  begun?: string;
  variant?: 'filled' | 'default';
  /** Gives the address of what is saved. */
  ask(): Promise<{ url: string }>;
}

const { csv } = texts.importExport.export;

/** The browser saves the file as it comes, so that none of it is held here. */
export function ExportButton({ label = csv, begun, variant = 'default', ask }: ExportButtonProps) {
  const exporting = useWrite({
    run: ask,
    done: ({ url }) => {
      Object.assign(document.createElement('a'), { href: url, download: '' }).click();
      toast(begun ?? texts.importExport.export.csvBegun);
    },
  });
  return (
    <Button
      variant={variant}
      leftSection={<IconDownload size={16} />}
      loading={exporting.isPending}
      onClick={() => exporting.mutate()}
    >
      {label}
    </Button>
  );
}
