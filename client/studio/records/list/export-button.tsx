import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { strings } from '../../strings/ui-strings.ts';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

interface ExportButtonProps {
  label?: string;
  begun?: string;
  variant?: 'filled' | 'default';
  /** Requests the export and returns its URL. */
  requestExport(): Promise<{ url: string }>;
}

const { csv } = strings.importExport.export;

/** Button that starts a download. The browser saves the file as it arrives, so the page does not hold it in memory. */
export function ExportButton({ label = csv, begun, variant = 'default', requestExport }: ExportButtonProps) {
  const exporting = useWrite({
    run: requestExport,
    done: ({ url }) => {
      Object.assign(document.createElement('a'), { href: url, download: '' }).click();
      toast(begun ?? strings.importExport.export.csvBegun);
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
