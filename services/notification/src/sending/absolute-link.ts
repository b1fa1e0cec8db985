/** Whether a link can be opened outside of Assay. Without `ASSAY_PUBLIC_URL`, links are only paths. */
export const isAbsolute = (link: string): boolean => /^https?:\/\//.test(link)
