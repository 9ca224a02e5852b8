//go:build linux || darwin

package atomicfile

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// accessList is the Linux name of a file's access list. It decides who may read
// the file, so it is the one attribute that must be kept, or stay away.
const accessList = "system.posix_acl_access"

// keepAttributes gives to the extended attributes of from, as far as the system
// lets us. It reports false when the access list could not be kept. What speaks
// of the old content (capabilities, signatures) is dropped, as a plain write
// would drop it.
func keepAttributes(to, from *os.File) bool {
	src, dst := int(from.Fd()), int(to.Fd())
	names, err := listAttributes(src)
	if err != nil {
		return true // no attributes on this file system
	}
	listed := false
	for _, name := range names {
		switch name {
		case "security.capability", "security.ima", "security.evm":
			continue
		}
		value, err := getAttribute(src, name)
		if err == nil {
			err = unix.Fsetxattr(dst, name, value, 0)
		}
		if name == accessList {
			listed = true
			if err != nil {
				return false
			}
		}
	}
	if !listed {
		// The folder's default may have given one to the new file only.
		_ = unix.Fremovexattr(dst, accessList)
	}
	return true
}

func listAttributes(fd int) ([]string, error) {
	size, err := unix.Flistxattr(fd, nil)
	if err != nil || size == 0 {
		return nil, err
	}
	buf := make([]byte, size)
	if size, err = unix.Flistxattr(fd, buf); err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(buf[:size]), func(r rune) bool { return r == 0 }), nil
}

func getAttribute(fd int, name string) ([]byte, error) {
	size, err := unix.Fgetxattr(fd, name, nil)
	if err != nil || size == 0 {
		return nil, err
	}
	buf := make([]byte, size)
	size, err = unix.Fgetxattr(fd, name, buf)
	return buf[:max(size, 0)], err
}
