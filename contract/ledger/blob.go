package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// writeBlob puts data under its hash beside the segments, and after it a record
// may name it. One that is there already is not written again.
func writeBlob(folder string, data []byte, durable bool) (*Blob, error) {
	sum := sha256.Sum256(data)
	b := &Blob{SHA256: hex.EncodeToString(sum[:]), Bytes: len(data)}
	blobs := filepath.Join(folder, blobsFolder)
	path := filepath.Join(blobs, b.SHA256)
	if old, err := readBlob(folder, b); err == nil && len(old) == len(data) {
		if !durable {
			return b, nil
		}
		// It may have come from a call that did not ask for durability.
		return b, syncExisting(path, blobs)
	}
	if err := os.Mkdir(blobs, 0o700); err != nil && !os.IsExist(err) {
		return nil, err
	}
	tmp, err := os.CreateTemp(blobs, "new-*")
	if err != nil {
		return nil, err
	}
	_, err = tmp.Write(data)
	if err == nil && durable {
		err = tmp.Sync()
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return nil, err
	}
	if durable {
		return b, syncFolder(blobs)
	}
	return b, nil
}

func syncExisting(path, folder string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	return syncFolder(folder)
}

// readBlob returns the data of a blob, which is what its name says or an error.
func readBlob(folder string, b *Blob) ([]byte, error) {
	if digest, err := hex.DecodeString(b.SHA256); err != nil || len(digest) != sha256.Size {
		return nil, fmt.Errorf("%q is not the name of a blob", b.SHA256)
	}
	data, err := os.ReadFile(filepath.Join(folder, blobsFolder, b.SHA256))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != b.SHA256 {
		return nil, fmt.Errorf("the content of blob %s has changed", b.SHA256)
	}
	return data, nil
}
